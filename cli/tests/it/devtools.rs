//! A headless Chromium, spoken to in its own protocol (Chrome `DevTools`) over a pair of pipes.

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long an answer may take; a loaded machine is slow, a hanging browser is an error.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running browser with one open tab.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    events: Vec<Value>,
    session: Option<String>,
    calls: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts Chromium, or says that it is skipped where there is none.
    pub fn start() -> Option<Self> {
        let program = std::env::var("LAMBDACUT_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        if Command::new(&program)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_err()
        {
            eprintln!(
                "SKIPPED: no {program} to open reports in (Debian: apt-get install chromium, or set LAMBDACUT_CHROMIUM)"
            );
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken over descriptors 3 and 4; the shell moves our two pipes there.
        let mut child = Command::new("sh")
            .args([
                "-c",
                "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                &program,
            ])
            .args([
                "--headless=new",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ])
            .args([
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                "--lang=en",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                if sender
                    .send(serde_json::from_slice(&message).unwrap())
                    .is_err()
                {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            input,
            messages,
            events: Vec::new(),
            session: None,
            calls: 0,
            _profile: profile,
        };
        let target =
            browser.call("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"]
                .clone();
        let attached = browser.call(
            "Target.attachToTarget",
            &json!({ "targetId": target, "flatten": true }),
        );
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Asks for something and waits for the answer.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input
            .write_all(format!("{message}\0").as_bytes())
            .unwrap();
        self.input.flush().unwrap();
        loop {
            let answer = self.receive();
            if answer["id"] == json!(self.calls) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn receive(&mut self) -> Value {
        self.messages
            .recv_timeout(PATIENCE)
            .expect("the browser answers")
    }

    /// Opens a file in a window of this size and waits until it is loaded.
    pub fn open(&mut self, page: &Path, (width, height): (u32, u32), phone: bool) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        self.events.clear();
        let url = format!("file://{}", page.canonicalize().unwrap().display());
        self.call("Page.navigate", &json!({ "url": url }));
        while !self
            .events
            .iter()
            .any(|e| e["method"] == "Page.loadEventFired")
        {
            let event = self.receive();
            self.events.push(event);
        }
    }

    /// Light or dark.
    pub fn scheme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
        );
    }

    /// The value of a JavaScript expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &asked);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                &json!({ "type": kind, "key": key, "code": key }),
            );
        }
    }

    /// What the page complained about since it was opened: exceptions, errors on the console,
    /// requests to anywhere but the file.
    pub fn complaints(&mut self) -> Vec<String> {
        // Whatever was sent before this answer has arrived with it.
        self.eval("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))");
        let wrong = |e: &&Value| match e["method"].as_str().unwrap_or("") {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => {
                e["params"]["type"] == "error" || e["params"]["type"] == "warning"
            }
            "Log.entryAdded" => {
                e["params"]["entry"]["level"] == "error"
                    || e["params"]["entry"]["level"] == "warning"
            }
            "Network.requestWillBeSent" => {
                let url = e["params"]["request"]["url"].as_str().unwrap_or("");
                !url.starts_with("file:") && !url.starts_with("data:")
            }
            _ => false,
        };
        self.events
            .iter()
            .filter(wrong)
            .map(ToString::to_string)
            .collect()
    }

    /// The whole page as a PNG file.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let answer = self.call(
            "Page.captureScreenshot",
            &json!({ "format": "png", "captureBeyondViewport": true }),
        );
        BASE64_STANDARD
            .decode(answer["data"].as_str().unwrap())
            .unwrap()
    }

    /// The page as it would be printed.
    pub fn pdf(&mut self) -> Vec<u8> {
        BASE64_STANDARD
            .decode(
                self.call("Page.printToPDF", &json!({}))["data"]
                    .as_str()
                    .unwrap(),
            )
            .unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
