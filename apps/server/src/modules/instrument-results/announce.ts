import { reviewTopic } from '@lis/contract/instrument-results.ts'
import type { Db } from '../../platform/db/db.ts'
import { publish } from '../../platform/events/publish.ts'

/** Makes open pages reload. */
export const publishReview = (db: Db) => publish(db, { topic: reviewTopic, data: { changed: 1 } })
