/** A reply that is not JSON: a file small enough to be sent at once. The route names its `replyType`. */
export class Bytes {
  readonly content: Buffer
  readonly type: string

  constructor(content: Buffer, type: string) {
    this.content = content
    this.type = type
  }
}
