/** A reply that PostgreSQL has already written as JSON: it passes through without being parsed and printed again. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
