/** The topic of the event by which a person hears that the file they asked for waits for others: `{ ahead }` come first. */
export const fileTopic = 'file'
