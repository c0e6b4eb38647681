/** Text that is safe inside an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A whole page with an already escaped body. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
}

/** A button that posts to the page's own address. */
export function postButton(label: string): string {
  return `<form method="post"><button type="submit">${escapeHtml(label)}</button></form>`;
}

/** A link, or nothing without an address. */
export function link(label: string, url: string | null): string {
  return url === null ? '' : `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`;
}
