//! Settings and the systemd unit of `docs/deploy.md`.

use std::path::Path;
use std::process::Command;

use provstream_proxy::Config;

/// The blocks of a page in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    let page = std::fs::read_to_string(format!("{folder}{page}")).expect("a page");
    let begin = format!("```{language}\n");
    let blocks = page.split(&begin).skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().expect("an end").to_owned());
    blocks.collect()
}

#[test]
fn the_settings_of_the_page_are_read() {
    let [settings] = &blocks("deploy.md", "toml")[..] else {
        panic!("expected one file of settings");
    };
    let config = Config::from_toml(settings.as_bytes(), Path::new("/etc/provstream"), None);
    let config = config.expect("settings");
    assert_eq!(config.listen().port(), 8443);
    let files: Vec<_> = config.files().collect();
    for (key, path) in [("cert", "tls/cert.pem"), ("key", "tls/key.pem")] {
        let path = Path::new("/etc/provstream").join(path);
        assert!(files.contains(&(key, &*path)), "{files:?}");
    }
}

#[test]
fn systemd_finds_no_fault_in_the_unit() {
    let [unit] = &blocks("deploy.md", "ini")[..] else {
        panic!("expected one unit");
    };
    let program = "ExecStart=/usr/bin/provstream ";
    assert!(unit.contains(program));
    if Command::new("systemd-analyze")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    // It looks for the program.
    let unit = unit.replace(program, "ExecStart=/bin/true ");
    let name = format!("provstream-proxy-{}.service", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, unit).expect("a file");
    let mut verify = Command::new("systemd-analyze");
    let found = verify.arg("verify").arg(&path).output().expect("systemd");
    std::fs::remove_file(path).expect("a file");
    let stderr = String::from_utf8_lossy(&found.stderr);
    assert!(found.status.success() && stderr.is_empty(), "{stderr}");
}
