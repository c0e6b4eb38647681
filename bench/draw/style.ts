/** Looks of the tiers in the order in which they occur. */
export const TIER_LOOKS = ['a', 'b', 'c', 'd'] as const;

interface Palette {
  readonly ground: string;
  readonly ink: string;
  readonly soft: string;
  readonly rule: string;
  readonly tiers: Readonly<Record<(typeof TIER_LOOKS)[number], string>>;
}

const LIGHT: Palette = {
  ground: '#ffffff',
  ink: '#1f2328',
  soft: '#59636e',
  rule: '#d8dee4',
  tiers: { a: '#0969da', b: '#bc4c00', c: '#1a7f37', d: '#8250df' },
};
const DARK: Palette = {
  ground: '#0d1117',
  ink: '#e6edf3',
  soft: '#9198a1',
  rule: '#30363d',
  tiers: { a: '#58a6ff', b: '#f0883e', c: '#3fb950', d: '#bc8cff' },
};

/** The style sheet of a picture: light, and dark where the reader's system is. */
export const STYLE = `
text { font: 11px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
.title { font-size: 15px; font-weight: 600 }
.group { font-size: 12px; font-weight: 600 }
.rule { stroke-width: 1 }
.floor, .span { stroke-width: 2 }
.open { stroke-width: 1.5 }
.bar { opacity: 0.85 }
${colours(LIGHT)}
@media (prefers-color-scheme: dark) {
${colours(DARK)}
}
`;

/** Written out instead of as variables, which few viewers besides browsers know. */
function colours({ ground, ink, soft, rule, tiers }: Palette): string {
  return [
    `.ground { fill: ${ground} }`,
    `text { fill: ${ink} }`,
    `text.soft { fill: ${soft} }`,
    `.rule { stroke: ${rule} }`,
    `.floor { stroke: ${soft} }`,
    ...TIER_LOOKS.map((look) => `.${look} { fill: ${tiers[look]}; stroke: ${tiers[look]} }`),
    '.bar { stroke: none }',
    `.open { fill: ${ground} }`,
  ].join('\n');
}
