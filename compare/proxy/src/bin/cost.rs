//! cost
fn main() -> std::io::Result<()> {
    let seconds: f64 = std::env::args().nth(1).map_or(4.0, |s| s.parse().unwrap());
    let cases = std::env::args().nth(2).unwrap_or_default();
    let cases = provstream_proxy_cost::case::Case::ALL.into_iter().filter(|c| cases.is_empty() || cases.split(',').any(|n| n == c.name())).collect();
    let counts = std::env::args().nth(3).unwrap_or("16,128,1024".into());
    let record = provstream_proxy_cost::measure::measure(&provstream_proxy_cost::measure::Settings {
        seconds, rounds: 1, tokens: 200, counts: counts.split(',').map(|s| s.parse().unwrap()).collect(),
        cases, work: "/tmp/t/envoy/proxy-cost/work".into() })?;
    record.write("/tmp/t/envoy/proxy-cost/a.csv".as_ref(), "/tmp/t/envoy/proxy-cost/b.csv".as_ref())
}
