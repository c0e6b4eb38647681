import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Reading {
  readonly cpu_us: number;
  readonly heap_bytes: number;
  readonly peak_rss_bytes: number;
  readonly loop_ms: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** Returns a function that measures this process. It reports event loop delays since its previous call. */
export function makeGauge(): () => Reading {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    const { heapUsed } = process.memoryUsage();
    const peak = process.resourceUsage().maxRSS * 1024;
    const loop = { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
    delay.reset();
    return { cpu_us: user + system, heap_bytes: heapUsed, peak_rss_bytes: peak, loop_ms: loop };
  };
}
