export {
  type SeparateStack as TestStack,
  startSeparateStack as startTestStack,
} from '../../emulators/stack/separate.ts';
