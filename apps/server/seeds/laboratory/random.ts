/** One stream per kind of record, so that values stay the same when another kind draws more or fewer numbers. */
export const streams = {
  world: 1,
  patient: 2,
  requisition: 3,
  statusPlan: 4,
  user: 5,
  freezer: 6,
  partner: 7,
  control: 22,
} as const

/** Choices with their weights, prepared for drawing. */
export interface Weighted<Choice> {
  choices: readonly Choice[]
  /** Running totals, the last one is 1. */
  upTo: readonly number[]
}

export const weighted = <Choice>(entries: readonly (readonly [Choice, number])[]): Weighted<Choice> => {
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0)
  let sum = 0
  return {
    choices: entries.map(([choice]) => choice),
    upTo: entries.map(([, weight]) => {
      sum += weight
      return sum / total
    }),
  }
}

/**
 * A small seeded generator (sfc32): same seed, same numbers, on every machine. Each record has its own, made from the kind and
 * number of the record, so that record 900,000 can be drawn without drawing the ones before it.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #d = 1

  constructor(seed: number, stream: number, index: number) {
    this.#a = mix(seed ^ 0x9e3779b9)
    this.#b = mix(stream ^ 0x243f6a88)
    this.#c = mix(index ^ 0xb7e15162)
    for (let round = 0; round < 12; round += 1) this.next()
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return (sum >>> 0) / 4294967296
  }

  /** A whole number, both ends included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Choice>(list: readonly Choice[]): Choice {
    return list[Math.floor(this.next() * list.length)] as Choice
  }

  draw<Choice>({ choices, upTo }: Weighted<Choice>): Choice {
    const point = this.next()
    let low = 0
    let high = upTo.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (point < (upTo[middle] as number)) high = middle
      else low = middle + 1
    }
    return choices[low] as Choice
  }

  /** Close to a normal distribution, never further out than 3.5; a sum of uniform draws is the same on every machine. */
  normal(): number {
    return (this.next() + this.next() + this.next() + this.next() - 2) * Math.sqrt(3)
  }

  digits(count: number): string {
    let text = ''
    for (let index = 0; index < count; index += 1) text += Math.floor(this.next() * 10)
    return text
  }

  uuid(): string {
    const hex = () => ((this.next() * 4294967296) >>> 0).toString(16).padStart(8, '0')
    const text = hex() + hex() + hex() + hex()
    const variant = '89ab'[this.int(0, 3)]
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`
  }
}

/** Spreads neighbouring numbers over all 32 bits. */
const mix = (value: number): number => {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) | 0
}
