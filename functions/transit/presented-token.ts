import { readBearerToken } from '../../shared/auth/credential.ts';
import { type InputReader, ignoreBody } from '../../shared/http/input.ts';

/** Reads the request's token. The answer repeats the token, because clients then use the token in the answer. */
export const presentedToken: InputReader<string> = {
  refuses: [],
  async read({ message, authorization }) {
    ignoreBody(message);
    return readBearerToken(authorization);
  },
};
