/* The baseline of cold starts: a function that only makes a Firestore client. */

import { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';

const db = new Firestore();

http('bare', (_request, response) => void response.end(db.databaseId));
