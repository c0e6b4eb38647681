/** The service's logo: the dial of a safe. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="14" />
      <path d="M16 5v3M16 24v3M5 16h3M24 16h3M8.2 8.2l2.1 2.1M21.7 21.7l2.1 2.1M8.2 23.8l2.1-2.1M21.7 10.3l2.1-2.1" />
      <circle cx="16" cy="16" r="5" />
      <path d="m16 16 5-5" />
    </svg>
  );
}

/** SVG paths of the drawings that empty lists show. */
const PATHS = {
  keys: 'M28 36a10 10 0 1 1 9.4 6.6L60 42.6v8h-6v-4h-4v6h-6v-6h-7A10 10 0 0 1 28 36m6-1h5',
  apiKeys: 'M22 22h52v36H22zM22 30h52M28 26h1M32 26h1M36 26h1M32 38l6 5-6 5M42 48h14',
  containers: 'M26 30l22-10 22 10v22L48 62 26 52zM26 30l22 10 22-10M48 40v22',
  firewalls: 'M26 24h44v34H26zM26 35h44M26 47h44M48 24v11M37 35v12M59 35v12M48 47v11',
  members: 'M48 36a8 8 0 1 0 0-16 8 8 0 0 0 0 16M32 60c1-10 7-16 16-16s15 6 16 16M68 34h12M74 28v12',
  audit: 'M30 18h28l10 10v36H30zM58 18v10h10M38 36h20M38 44h20M38 52h12',
} as const;

export function Drawing({ of }: { readonly of: keyof typeof PATHS }) {
  return (
    <svg class="drawing" viewBox="16 14 68 54" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  );
}

export type DrawingName = keyof typeof PATHS;

/** A large version of the logo's dial, for the sign-in page. */
export function Dial() {
  const ticks = Array.from({ length: 60 }, (_, at) => at);
  return (
    <svg class="dial" viewBox="0 0 320 320" aria-hidden="true">
      <circle cx="160" cy="160" r="150" />
      {ticks.map((at) => (
        <line key={at} x1="160" x2="160" y1="18" y2={at % 5 === 0 ? 40 : 28} transform={`rotate(${at * 6} 160 160)`} />
      ))}
      <circle cx="160" cy="160" r="104" />
      <circle cx="160" cy="160" r="44" />
      <path d="M160 116V66M160 160h.1" />
    </svg>
  );
}
