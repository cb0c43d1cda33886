//! Answers that quote the request.

use model::{
    Answer, Outcome, Script, ToolCall, Turn,
    script::{Block, Client},
};
use serde_json::{Value, json};
use wire::{
    clock::Stopwatch,
    http::{Request, Response},
};

use crate::client::{World, json_of, user};

const CHAT: &str = "/s/k/v1/chat/completions";
const RESPONSES: &str = "/s/k/v1/responses";
const MESSAGES: &str = "/s/k/v1/messages";

/// A world whose session `k` has one turn, which says this as often as it is asked.
async fn saying(answer: Answer) -> World {
    saying_to(Client::Strict, answer).await
}

async fn saying_to(client: Client, answer: Answer) -> World {
    let world = World::new().await;
    let script = Script::new("templates", [Turn::new("only", answer).repeat()]).unwrap();
    world.host.load("k", script.for_client(client).unwrap());
    world
}

fn text_of(response: &Response) -> String {
    assert_eq!(response.status, 200, "{}", String::from_utf8_lossy(&response.body));
    let body = json_of(response);
    let places = ["/choices/0/message/content", "/output/0/content/0/text", "/content/0/text"];
    places
        .iter()
        .find_map(|place| body.pointer(place)?.as_str())
        .unwrap_or_else(|| panic!("{body}"))
        .to_owned()
}

/// One conversation with a tool call and its result, on each wire.
fn conversations() -> [(&'static str, &'static str, Value); 3] {
    let chat = json!({
        "model": "m-1", "temperature": 0.5, "metadata": {"team": "red"},
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "first"},
            {"role": "user", "content": "weather in Oslo"},
            {"role": "assistant", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
        ],
        "tools": [{"type": "function", "function": {"name": "get_weather"}}, {"type": "function", "function": {"name": "read"}}],
    });
    let responses = json!({
        "model": "m-1", "temperature": 0.5, "metadata": {"team": "red"}, "instructions": "Be kind.",
        "input": [
            {"role": "user", "content": "first"},
            {"role": "user", "content": "weather in Oslo"},
            {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "sunny"},
        ],
        "tools": [
            {"type": "function", "name": "get_weather", "parameters": {"type": "object", "properties": {}}},
            {"type": "function", "name": "read", "parameters": {"type": "object", "properties": {}}},
        ],
    });
    let messages = json!({
        "model": "m-1", "temperature": 0.5, "metadata": {"team": "red"}, "max_tokens": 100, "system": "Be kind.",
        "messages": [
            {"role": "user", "content": "first"},
            {"role": "user", "content": "weather in Oslo"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "sunny"}]},
        ],
        "tools": [
            {"name": "get_weather", "input_schema": {"type": "object"}},
            {"name": "read", "input_schema": {"type": "object"}},
        ],
    });
    [("chat", CHAT, chat), ("responses", RESPONSES, responses), ("messages", MESSAGES, messages)]
}

#[tokio::test(start_paused = true)]
async fn what_a_request_says_can_be_quoted_on_every_wire() {
    let template = "{{ wire }}|{{ model }}|{{ system }}|{{ user }}|{{ last }}|{{ tool_results['call_1'] }}|\
                    {{ tool_results.call_1 | upper }}|{{ tools | join('+') }}|{{ body.temperature }}|\
                    {{ body.metadata.team }}|{{ 'yes' if 'read' in tools else 'no' }}|{{ user | split('in ') | last }}";
    let world = saying(Answer::new().text(template).template()).await;
    for (wire, path, body) in conversations() {
        let said = text_of(&world.post(path, &body).await);
        let expected = format!(
            "{wire}|m-1|Be kind.|weather in Oslo|sunny|sunny|SUNNY|get_weather+read|0.5|red|yes|Oslo"
        );
        assert_eq!(said, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_request_does_not_have_is_a_miss_that_says_so() {
    for (template, why) in [
        ("{{ usr }}", "there is no `usr` to be quoted; did you mean `user`?"),
        (
            "{{ user }} {{ elsewhere.deep }}",
            "there is no `elsewhere` to be quoted; there is `wire`, `model`, ",
        ),
        ("{{ body.seed }}", "the request has no `body.seed`"),
        ("{{ body.seed.deep }}", "the request has no `body.seed.deep`"),
        ("{{ tool_results.call_9 }}", "the request has no `tool_results.call_9`"),
        ("{{ tool_results['call_9'] }}", "something that is quoted is not there"),
        ("{% for item in body.missing %}x{% endfor %}", "the request has no `body.missing`"),
        (
            "{{ range(2) | list }}\n{{ tools[0] }}",
            "something that is quoted is not there (line 2 of the text)",
        ),
        ("{{ user | nofilter }}", "unknown filter: "),
        ("{{ user.nomethod() }}", "unknown method: "),
        ("{{ 1 // 0 }}", "invalid operation: "),
    ] {
        let world = World::new().await;
        let broken = |id: &str| Turn::new(id, Answer::new().text(template).template());
        world.host.load("k", Script::new("templates", [broken("a"), broken("b")]).unwrap());
        // Asked again it is the same miss: a turn that cannot answer is not used up.
        for _ in 0..2 {
            let missed = world.post(CHAT, &user("hi", &[])).await;
            assert_eq!(missed.status, 400);
            let error = json_of(&missed)["error"].clone();
            assert_eq!(error["code"], "proofhouse_no_turn", "{error}");
            let message = error["message"].as_str().unwrap();
            let lead = format!("the answer of turn `a` cannot be filled in: {why}");
            assert!(message.starts_with(&lead), "{template}: {message}");
        }
        let journal = world.host.journal("k");
        assert!(journal.iter().all(|entry| entry.outcome == Outcome::Missed && entry.turn.is_none()));
        assert_eq!(world.host.unused_turns("k"), ["a", "b"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_could_not_quote_answers_whoever_it_can() {
    let world = World::new().await;
    let turn = Turn::new("only", Answer::new().text("{{ body.seed }}").template());
    world.host.load("k", Script::new("templates", [turn]).unwrap());
    let mut body = user("hi", &[]);
    assert_eq!(world.post(CHAT, &body).await.status, 400);
    body["seed"] = json!(7);
    assert_eq!(text_of(&world.post(CHAT, &body).await), "7");
    assert!(world.host.unused_turns("k").is_empty());
}

const NASTY: &str = "\"quoted\"\n\\back\\slash\t{{ braces }} </script> żółw 🦀 \u{1} {\"json\": [1]}";

#[tokio::test(start_paused = true)]
async fn strings_inside_of_arguments_stay_strings() {
    let arguments = json!({"whole": "{{ user }}", "part": ["<{{ user }}>", {"deep": "{{ last }}"}], "n": 7, "none": null, "{{ user }}": true});
    let call = ToolCall::new("call_1", "read", arguments);
    let raw = ToolCall::with_text("call_2", "read", "{\"raw\": {{ user | tojson }}, \"n\": {{ 1 + 1 }}}");
    let world = saying(Answer::new().call(call).call(raw).template()).await;
    let answer = json_of(&world.post(CHAT, &user(NASTY, &[])).await);
    let arguments = |place: usize| -> Value {
        let text =
            answer["choices"][0]["message"]["tool_calls"][place]["function"]["arguments"].as_str().unwrap();
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let part = json!([format!("<{NASTY}>"), {"deep": NASTY}]);
    let expected = json!({"whole": NASTY, "part": part, "n": 7, "none": null, "{{ user }}": true});
    assert_eq!(arguments(0), expected, "names are no templates");
    assert_eq!(arguments(1), json!({"raw": NASTY, "n": 2}));
}

#[tokio::test(start_paused = true)]
async fn every_text_of_an_answer_is_a_template() {
    let blocks = Answer::new()
        .block(Block::Thinking("a {{ user }}".into()))
        .block(Block::Text("b {{ user }}".into()))
        .block(Block::Refusal("c {{ user }}".into()))
        .template();
    let world = saying(blocks).await;
    world.post(CHAT, &user("hi", &[])).await;
    let reply = world.host.journal("k")[0].answer.clone().unwrap();
    assert_eq!(
        (reply.thinking().unwrap(), reply.text().unwrap(), reply.refusal().unwrap()),
        ("a hi".into(), "b hi".into(), "c hi".into())
    );
    let world = saying(Answer::new().structured(json!({"said": ["{{ user }}"]})).template()).await;
    let said = text_of(&world.post(CHAT, &user(NASTY, &[])).await);
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), json!({"said": [NASTY]}));
}

/// What a request says is never a template itself, wherever it is put.
#[tokio::test(start_paused = true)]
async fn what_is_quoted_is_no_template() {
    // The API takes no such name for a tool, so the client is a lenient one.
    let trap = "{{ 1 // 0 }}{% if %}";
    let tool =
        json!({"type": "function", "function": {"name": trap, "parameters": {"default": {"x": trap}}}});
    let mut body = user(trap, &[]);
    body["tools"] = json!([tool]);
    body["tool_choice"] = json!({"type": "function", "function": {"name": trap}});
    let world =
        saying_to(Client::Lenient, Answer::new().structured(json!({"said": "{{ user }}"})).template()).await;
    let call =
        json_of(&world.post(CHAT, &body).await)["choices"][0]["message"]["tool_calls"][0]["function"].clone();
    assert_eq!(
        (&call["name"], &call["arguments"]),
        (&json!(trap), &json!(json!({"said": trap}).to_string()))
    );
    let named = ToolCall::with_text("call_1", "{{ tools[0] }}", "{{ example_arguments[tools[0]] }}");
    let world = saying_to(Client::Lenient, Answer::new().call(named).template()).await;
    let call =
        json_of(&world.post(CHAT, &body).await)["choices"][0]["message"]["tool_calls"][0]["function"].clone();
    assert_eq!((&call["name"], &call["arguments"]), (&json!(trap), &json!(json!({"x": trap}).to_string())));
}

#[tokio::test(start_paused = true)]
async fn braces_are_braces_without_template() {
    let text = "{{ user }} {% broken {# and more\n";
    let arguments = json!({"a": "{{ user }}"});
    let world =
        saying(Answer::new().text(text).call(ToolCall::new("call_1", "read", arguments.clone()))).await;
    let message = json_of(&world.post(CHAT, &user("hi", &[])).await)["choices"][0]["message"].clone();
    assert_eq!(message["content"], text);
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], arguments.to_string());
}

#[tokio::test(start_paused = true)]
async fn texts_are_said_to_the_letter() {
    for (template, said) in [
        ("{{ user }}\n", "<b>&\n"),
        ("a\r\n  b {{ user }}\t\n\n", "a\r\n  b <b>&\t\n\n"),
        ("{# said to nobody #}x", "x"),
        ("{% raw %}{{ user }}{% endraw %}", "{{ user }}"),
        ("", ""),
    ] {
        let world = saying(Answer::new().text(template).template()).await;
        assert_eq!(text_of(&world.post(CHAT, &user("<b>&", &[])).await), said, "{template}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_template_without_an_end_is_a_miss() {
    let mut all = vec![
        "{% for a in range(100000) %}{% for b in range(100000) %}{{ b }}{% endfor %}{% endfor %}".to_owned(),
        "{{ 'x' * 1000000000 }}".to_owned(),
        "{{ ['x'] * 1000000000 }}".to_owned(),
        "{{ user | indent(1000000000) }}".to_owned(),
        "{{ '%01000000000d' | format(1) }}".to_owned(),
        "{{ '{:>1000000000}'.format(user) }}".to_owned(),
        "{{ range(1000000000) | list }}".to_owned(),
        "{{ 10 ** 1000000 }}".to_owned(),
        "{% set x = 'xxxxxxxx' %}{% for i in range(60) %}{% set x = x ~ x %}{{ x }}{% endfor %}".to_owned(),
        "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}".to_owned(),
        "{% set ns = namespace(a=1) %}{% set ns.a = ns %}{{ ns }}".to_owned(),
        "{% set ns = namespace(a=1) %}{% set ns.a = [ns] %}{{ ns | tojson }}{{ ns == ns }}".to_owned(),
        "{% set x = [1] %}{% for i in range(60) %}{% set x = [x, x] %}{% endfor %}{{ x }}".to_owned(),
        "{% set x = body %}{% for i in range(200) %}{% set x = {'a': x, 'b': x} %}{{ x }}{% endfor %}"
            .to_owned(),
    ];
    let doubling = "{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}";
    all.push(doubling.to_owned());
    all.push("{{ user * 3000000 }}".to_owned());
    all.push("{% for i in range(1000) %}{{ user * 99999 }}{% endfor %}".to_owned());
    for template in all {
        let watch = Stopwatch::start();
        // What can be known to have no end is not even a script.
        let turn = Turn::new("only", Answer::new().text(template.as_str()).template());
        let Ok(script) = Script::new("endless", [turn]) else { continue };
        let world = World::new().await;
        world.host.load("k", script);
        let missed = world.post(CHAT, &user("hi", &[])).await;
        let ms = watch.elapsed_ms();
        assert!(
            missed.status == 400 || missed.body.len() < 1_000_000,
            "{template}: {} bytes",
            missed.body.len()
        );
        assert!(ms < 2_000, "{template}: {ms} ms");
    }
}

/// What an instruction costs follows from what it works on, and a request may bring much.
#[tokio::test(start_paused = true)]
async fn a_template_takes_a_second_whatever_a_request_brings() {
    for template in [
        "{% for i in range(100000) %}{% for j in range(100000) %}{% set x = user | upper | lower %}{% endfor %}{% endfor %}",
        "{% for i in range(100000) %}{% set x = user | list | sort | length %}{% endfor %}",
        "{% for i in range(100000) %}{% set x = range(100000) | sum %}{% endfor %}",
        "{% set r = range(100000) %}{% for i in r %}{% set x = r | list | length %}{% endfor %}",
        "{% for i in range(100000) %}{% if user ~ user == user %}{% endif %}{% endfor %}",
        "{% for i in range(100000) %}{% if 'zzz' in user %}{% endif %}{% endfor %}",
        "{% for a in body.messages %}{% for b in user | list %}{% for c in user | list %}{% set x = user ~ c %}{% endfor %}{% endfor %}{% endfor %}",
        "{% macro m(a) %}{{ m(a ~ a) }}{% endmacro %}{{ m(user) }}",
        "{% macro m(a, n) %}{% if user | list | unique | length == n %}{% endif %}{{ m(a, n) }}{% endmacro %}{{ m(1, 2) }}",
        "{% set a = [1] * 999 %}{% for i in range(100000) %}{% set x = a | list | sort %}{% endfor %}",
        "{{ user * body.n }}",
        "{% set a = user %}{% set a = a ~ a ~ a ~ a %}{% set a = a ~ a ~ a ~ a %}{% set a = a ~ a ~ a ~ a %}{% for i in range(100000) %}{% if a == a ~ a %}{% endif %}{% endfor %}",
    ] {
        let Ok(script) = Script::new("slow", [Turn::new("only", Answer::new().text(template).template())])
        else {
            continue;
        };
        for length in [10, 10_000, 1_000_000] {
            let world = World::new().await;
            world.host.load("k", script.clone());
            let mut body = user(&"x y".repeat(length / 3), &[]);
            body["n"] = json!(u32::MAX);
            let text = body.to_string();
            let watch = Stopwatch::start();
            let _ = world.send(Request::new("POST", CHAT).json(text)).await;
            // A machine that has much else to do, and code that is not optimised, take some times as long.
            assert!(watch.elapsed_ms() < 10_000, "{template}, {length}: {} ms", watch.elapsed_ms());
            println!("{:>6} ms, {length}: {template}", watch.elapsed_ms());
        }
    }
}

/// An operand that is multiplied again and again costs no fuel, so a script with one is refused.
#[test]
fn a_template_that_multiplies_without_end_is_refused() {
    for template in ["{{ [1, 2] | list * 9 * 9 * 9 * 9 * 9 * 9 * 9 * 9 }}", "{{ ['x'] * 1000000000 }}"] {
        let watch = Stopwatch::start();
        let turn = Turn::new("only", Answer::new().text(template).template());
        let error = Script::new("endless", [turn]).unwrap_err().to_string();
        assert!(error.contains("its multiplications may say something more than 1000000 times"), "{error}");
        assert!(watch.elapsed_ms() < 1_000, "{} ms", watch.elapsed_ms());
    }
}

/// The templates of a script are read before any request is there, and nesting them eats no stack.
#[test]
fn a_template_a_hundred_thousand_deep_is_refused() {
    let run = || {
        let levels = 100_000;
        for template in [
            format!("{{{{ {}1{} }}}}", "(".repeat(levels), ")".repeat(levels)),
            format!("{{{{ {}1{} }}}}", "[".repeat(levels), "]".repeat(levels)),
            format!("{{{{ {}1 }}}}", "not ".repeat(levels)),
            format!("{{{{ {}1 }}}}", "-".repeat(levels)),
            format!("{}x{}", "{% if 1 %}".repeat(levels), "{% endif %}".repeat(levels)),
            format!("{}x{}", "{% for a in b %}".repeat(levels), "{% endfor %}".repeat(levels)),
            format!("{{{{ a{} }}}}", ".b".repeat(levels)),
            format!("{{{{ a{} }}}}", "[0]".repeat(levels)),
            format!("{{{{ a{} }}}}", "|upper".repeat(levels)),
            format!("{{{{ 1{} }}}}", " + 1".repeat(levels)),
            format!("{{{{ 1{} }}}}", " if 1 else 1".repeat(levels)),
            "{{".repeat(levels),
            "{%".repeat(levels),
            "{#".repeat(levels),
            format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(levels)),
            format!("{{{{ '}}}}'{} }}}}", " ~ 1".repeat(levels)),
            format!("{{{{ 1{} }}}}", " and 1".repeat(levels)),
            format!("{{{{ 1{} }}}}", " is defined".repeat(levels)),
            format!("{{{{ a{} }}}}", "()".repeat(levels)),
            format!("{{{{ 1{} }}}}", " ** 1".repeat(levels)),
            format!("{{% set a{} = 1 %}}", ".b".repeat(levels)),
            format!("{}{{{{ 1 | }}}}", "x".repeat(levels)),
        ] {
            let template = template.as_str();
            let call = |name: &str, text: &str| Answer::new().call(ToolCall::with_text("call_1", name, text));
            for (place, answer) in [
                ("text", Answer::new().text(template)),
                ("tool_calls/0/name", call(template, "")),
                ("tool_calls/0/arguments_text", call("read", template)),
                ("structured/0", Answer::new().structured(json!([template]))),
            ] {
                let error = Script::new("deep", [Turn::new("a", answer.template())]).unwrap_err().to_string();
                let lead = format!("script: /turns/0/answer/{place}: the template is broken: ");
                assert!(error.starts_with(&lead) && error.len() < 300, "{error}");
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}
