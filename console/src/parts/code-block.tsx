interface CodeBlockProps {
  readonly label: string;
  readonly text: string;
  /** Breaks long lines instead of scrolling inside itself. */
  readonly wraps?: boolean;
}

/** Text for programs, as it is. */
export function CodeBlock({ label, text, wraps = false }: CodeBlockProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="code" aria-label={label} tabIndex={0}>
      <pre class={wraps ? 'wraps' : ''}>
        <code>{text}</code>
      </pre>
    </section>
  );
}
