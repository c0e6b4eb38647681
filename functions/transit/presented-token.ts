import { readBearerToken } from '../../shared/auth/credential.ts';
import { type InputReader, ignoreBody } from '../../shared/http/input.ts';

/** Reads the request's token. The answer must contain the token, because clients use it from then on. */
export const presentedToken: InputReader<string> = {
  refuses: [],
  async read({ message, authorization }) {
    ignoreBody(message);
    return readBearerToken(authorization);
  },
};
