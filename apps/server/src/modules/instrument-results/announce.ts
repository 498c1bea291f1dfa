import type { Db } from '../../platform/db/db.ts'
import { publish } from '../../platform/events/publish.ts'

/** The name of the events that tell open pages to read again. */
const reviewTopic = 'review'

export const publishReview = (db: Db) => publish(db, { topic: reviewTopic, data: { changed: 1 } })
