import { z } from 'zod';
import { binary } from '../../shared/crypto/fields.ts';

/** The ciphertext response of `encrypt` and `rewrap`. */
export const ciphertextAnswer = z.object({ ciphertext: binary }).meta({ id: 'Ciphertext' });
