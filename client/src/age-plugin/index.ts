export { keyIdOfRecipient, recipientOf } from './recipient.ts';
