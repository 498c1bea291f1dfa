import type { TestSeed } from '../seed-data.ts'
import type { Patient } from './patients.ts'
import { type Random, weighted } from './random.ts'

/** What the analyser sends for one order: drawn so that the values of one blood sample fit each other. */
export class Sample {
  readonly #random: Random
  readonly #patient: Patient
  #lipids: { hdl: number; trig: number; ldl: number } | undefined

  constructor(random: Random, patient: Patient) {
    this.#random = random
    this.#patient = patient
  }

  /** The text as entered: mostly at the printed decimals, sometimes with one more, as analysers do. */
  valueOf(test: TestSeed): string {
    if (test.resultKind === 'category') return this.#random.draw(test.testCode === 'COVAG' ? antigen : antibody)
    if (test.allowedText.includes('N/A') && this.#random.chance(0.02)) return 'N/A'
    const value = within(this.#number(test.resultKey), test.plausibility.rejectLo, test.plausibility.rejectHi)
    return value.toFixed(test.significantDigits + (this.#random.chance(0.2) ? 1 : 0))
  }

  #number(key: string): number {
    const { hdl, trig, ldl } = this.#drawLipids()
    const random = this.#random
    const { risk, sex, isDiabetic } = this.#patient
    const spread = (middle: number, width: number, lean: number) =>
      middle * Math.exp(width * random.normal() + lean * risk)
    switch (key) {
      case 'totalChol':
        return Math.round(ldl + hdl + Math.min(trig, 600) / 5)
      case 'hdl':
        return hdl
      case 'trig':
        return trig
      case 'sdLdlC':
        return clip(spread(26, 0.35, 0.15), 4, 140)
      case 'apoA1':
        return clip((sex === 'MALE' ? 138 : 156) + 20 * random.normal() - 4 * risk, 65, 260)
      case 'apoB':
        return clip(90 + 20 * random.normal() + 8 * risk, 35, 240)
      case 'lp':
        return clip(spread(15, 1, 0), 1, 290)
      case 'hsCrp':
        return clip(spread(1.3, 1, 0.3), 0.1, 60)
      case 'hba1c':
        return clip((isDiabetic ? 7.5 + 1.7 * random.normal() : 5.45 + 0.25 * random.normal()) + 0.1 * risk, 4.1, 15.5)
      case 'IgGII':
        return clip(spread(380, 1.8, 0), 6, 60000)
      case 'elpBlpScore':
        return clip(42 + 20 * random.normal() + 6 * risk, 1, 99)
      case 'pulsScore':
        return clip(spread(3.1, 0.7, 0.3), 0.25, 55)
      case 'dp':
        return clip(spread(isDiabetic ? 11 : 3.6, 0.6, 0.25), 0.3, 85)
      case 'SVDx':
        return clip(32 + 12 * random.normal() + 11 * risk, 1, 99)
      default:
        throw new Error(`No values known for ${key}`)
    }
  }

  #drawLipids() {
    if (!this.#lipids) {
      const { risk, sex } = this.#patient
      const random = this.#random
      this.#lipids = {
        hdl: Math.round(clip((sex === 'MALE' ? 48 : 57) + 9 * random.normal() - 4 * risk, 18, 110)),
        trig: Math.round(clip(118 * Math.exp(0.45 * random.normal() + 0.32 * risk), 32, 980)),
        ldl: clip(112 + 26 * random.normal() + 10 * risk, 30, 260),
      }
    }
    return this.#lipids
  }
}

const antibody = weighted([
  ['NEG', 60],
  ['POS', 35],
  ['EQV', 5],
] as const)
const antigen = weighted([
  ['NEG', 91],
  ['POS', 8],
  ['INV', 1],
] as const)

const clip = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** What lies outside the reject limits could never have been saved. */
const within = (value: number, low: number | null, high: number | null): number =>
  clip(value, low ?? value, high ?? value)
