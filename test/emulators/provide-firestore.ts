/* Provides the Firestore emulator, in a process with an environment that a test chooses. */
import { provideFirestore } from '../../emulators/firestore/provide.ts';

await provideFirestore(process.env);
