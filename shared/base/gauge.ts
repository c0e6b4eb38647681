import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a process has used since it started, and how late its event loop was since the last reading. */
export interface Reading {
  /** Processor time, user and system, in microseconds. */
  readonly cpu_us: number;
  readonly heap_bytes: number;
  /** The most memory that it ever held. */
  readonly peak_rss_bytes: number;
  /** Delay of the event loop in milliseconds. */
  readonly loop_ms: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** Starts measuring; each call of what it returns is a reading. */
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
