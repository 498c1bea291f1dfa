/** Topic of the event that tells a user that the requested file is queued behind `{ ahead }` others. */
export const fileTopic = 'file'
