interface CodeBlockProps {
  readonly label: string;
  readonly text: string;
  /** Wraps long lines. Without it, they scroll. */
  readonly wraps?: boolean;
}

export function CodeBlock({ label, text, wraps = false }: CodeBlockProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section class="code" aria-label={label} tabIndex={0}>
      <pre class={wraps ? 'wraps' : ''}>
        <code>{text}</code>
      </pre>
    </section>
  );
}
