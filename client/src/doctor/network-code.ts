/** More causes than any error has. */
const DEEPEST = 10;

/**
 * Returns Node's code for a failed connection, such as `ENOTFOUND`, or `undefined` in a browser. The error can be of any
 * class and realm.
 */
export function networkCodeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > DEEPEST) return undefined;
  const { code, cause }: Readonly<Record<string, unknown>> = Object(error);
  return typeof code === 'string' && /^[A-Z]/.test(code) ? code : networkCodeOf(cause, depth + 1);
}

const TLS_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain ends in a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server did not send the certificate of its issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'this machine does not know the issuer of the certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS on this port',
  EPROTO: 'the TLS handshake failed',
};

/** Describes a TLS problem. Returns `undefined` for other errors. */
export function tlsProblemOf(error: unknown): string | undefined {
  const code = networkCodeOf(error) ?? '';
  const problem = TLS_PROBLEMS[code] ?? (/CERT|SSL|TLS/.test(code) ? 'the TLS handshake failed' : undefined);
  return problem && `${problem} (${code})`;
}
