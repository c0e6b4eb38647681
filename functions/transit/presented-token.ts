import { readBearerToken } from '../../shared/auth/credential.ts';
import { type InputReader, ignoreBody } from '../../shared/http/input.ts';

/** The token that the request was sent with, and no other input: clients use the token of the answer from then on. */
export const presentedToken: InputReader<string> = {
  refuses: [],
  async read({ message, authorization }) {
    ignoreBody(message);
    return readBearerToken(authorization);
  },
};
