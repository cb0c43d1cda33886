//! `proofhouse spec openapi`.

use crate::process::run;

#[test]
fn each_contract_is_printed_as_one_openapi_document() {
    let folder = tempfile::tempdir().unwrap();
    for contract in ["oao", "vetta"] {
        let said = run(folder.path(), &["spec", "openapi", "--contract", contract]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1."), "{contract}");
        assert!(!document["paths"].as_object().unwrap().is_empty(), "{contract}");
        assert!(
            !said.out.contains(".json\"") && !said.out.contains(".yaml#"),
            "{contract}: a reference leads out"
        );
    }
    for arguments in [&["spec"][..], &["spec", "openapi"], &["spec", "openapi", "--contract", "veta"]] {
        assert_eq!(run(folder.path(), arguments).code, Some(2), "{arguments:?}");
    }
}
