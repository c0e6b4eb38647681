/** Splits `host:port`. */
export function splitAddress(address: string): [host: string, port: number] {
  const [host = '', port] = address.split(':');
  return [host, Number(port)];
}
