//! Flame graphs by `--profile-time`, with the feature `flame` on Linux; otherwise no profiler. The hook that pprof has is for an older
//! criterion.

use criterion::profiler::{ExternalProfiler, Profiler};

/// The profiler of this build.
#[cfg(not(all(feature = "flame", target_os = "linux")))]
pub fn profiler() -> impl Profiler {
    ExternalProfiler
}

/// The profiler of this build.
#[cfg(all(feature = "flame", target_os = "linux"))]
pub fn profiler() -> impl Profiler {
    flame::Flame::default()
}

#[cfg(all(feature = "flame", target_os = "linux"))]
mod flame {
    use super::{ExternalProfiler, Profiler};
    use pprof::ProfilerGuard;
    use std::fs::{File, create_dir_all};
    use std::path::Path;

    /// Takes samples, and writes `profile/flamegraph.svg` into the directory of the benchmark.
    #[derive(Default)]
    pub struct Flame(Option<ProfilerGuard<'static>>);

    impl Profiler for Flame {
        fn start_profiling(&mut self, id: &str, directory: &Path) {
            ExternalProfiler.start_profiling(id, directory);
            self.0 = Some(ProfilerGuard::new(997).expect("samples can be taken"));
        }

        fn stop_profiling(&mut self, _: &str, directory: &Path) {
            let Some(guard) = self.0.take() else { return };
            let report = guard.report().build().expect("a report of the samples");
            create_dir_all(directory).expect("a directory for the flame graph");
            let file = File::create(directory.join("flamegraph.svg")).expect("a file for the flame graph");
            report.flamegraph(file).expect("the flame graph is written");
        }
    }
}
