/** A reply that PostgreSQL has already serialized as JSON: it is sent without being parsed and serialized again. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
