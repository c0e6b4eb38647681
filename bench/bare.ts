/* What the cold start of a function is compared with: a function of the framework that makes a Firestore client, and nothing else. */

import { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';

const db = new Firestore();

http('bare', (_request, response) => void response.end(db.databaseId));
