import { subscribe } from 'node:diagnostics_channel';
import { ServerResponse } from 'node:http';
import type { Clock } from '../../shared/base/clock.ts';

/** Makes the `Date` header of all responses of this process follow the clock, as the machine's time does otherwise. */
export function followClock(clock: Clock): void {
  subscribe('http.server.request.start', (message) => {
    const { response } = Object(message);
    if (response instanceof ServerResponse) response.setHeader('date', new Date(clock.now() / 1000).toUTCString());
  });
}
