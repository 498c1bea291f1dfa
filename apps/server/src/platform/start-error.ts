/** A fault that the person at the terminal can mend: told in a sentence, without a stack. */
export class StartError extends Error {}
