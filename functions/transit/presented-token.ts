import { readBearerToken } from '../../shared/auth/credential.ts';
import { type InputReader, ignoreBody } from '../../shared/http/input.ts';

/** The request's token, which clients take from the answer from then on. Other input is ignored. */
export const presentedToken: InputReader<string> = {
  refuses: [],
  async read({ message, authorization }) {
    ignoreBody(message);
    return readBearerToken(authorization);
  },
};
