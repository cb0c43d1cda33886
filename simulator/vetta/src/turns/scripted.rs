//! Answers without a model.

use std::sync::Arc;

use super::{Answer, Answering, Stage, TurnError, TurnRequest, Turns};

/// What answers a request.
type Script = Arc<dyn Fn(&TurnRequest) -> Result<Answer, TurnError> + Send + Sync>;

/// Turns whose answer is a function of the request. It is written out word by word.
#[derive(Clone)]
pub struct Scripted(Script);

impl Scripted {
    /// Answers by `script`.
    pub fn new(script: impl Fn(&TurnRequest) -> Result<Answer, TurnError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(script))
    }

    /// Repeats the message: `hello` is answered by `You said: hello`. It hands in no typed answer.
    pub fn echo() -> Self {
        Self::new(|request| Ok(Answer { text: format!("You said: {}", request.message()), structured: None }))
    }
}

impl Turns for Scripted {
    fn answer(&self, request: TurnRequest, stage: Stage) -> Answering {
        let answer = (self.0)(&request);
        if let Ok(answer) = &answer {
            answer.text.split_inclusive(' ').for_each(|word| stage.say(word));
        }
        Box::pin(std::future::ready(answer))
    }
}
