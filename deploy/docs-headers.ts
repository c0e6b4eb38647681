import { createHash } from 'node:crypto';

export interface HeaderRule {
  readonly source: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Returns the headers of the documentation beside the console, for firebase.json. Its content security policy allows
 * exactly the inline scripts of the page, which choose the colors, and style attributes, which color the code. Nothing
 * may be sent anywhere else.
 */
export function docsHeaders(page: string): HeaderRule[] {
  const inline = [...page.matchAll(/<script(?! type="module")[^>]*>([^<]+)<\/script>/g)].map(([, code = '']) => code);
  const hashes = inline.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  const rule = (source: string, key: string, value: string) => ({ source, headers: [{ key, value }] });
  return [
    rule('/docs/**', 'Content-Security-Policy', policy.join('; ')),
    rule('/docs/assets/**', 'Cache-Control', 'public, max-age=31536000, immutable'),
  ];
}
