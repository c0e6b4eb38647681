/* Provides the Firestore emulator in a process whose environment a test sets. */
import { provideFirestore } from '../../emulators/firestore/provide.ts';

await provideFirestore(process.env);
