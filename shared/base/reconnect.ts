/** How a gRPC client of Google's comes back after an outage: within a second, not within gRPC's two minutes. */
export const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 } as const;
