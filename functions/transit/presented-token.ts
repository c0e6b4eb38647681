import { readBearerToken } from '../../shared/auth/credential.ts';
import { type InputReader, ignoreBody } from '../../shared/http/input.ts';

/** The request's token. The answer repeats it, because clients then use the answer's token. Ignores other input. */
export const presentedToken: InputReader<string> = {
  refuses: [],
  async read({ message, authorization }) {
    ignoreBody(message);
    return readBearerToken(authorization);
  },
};
