import { describe, expect, it } from 'vitest'
import { readHeader } from '../../src/modules/interfaces/hl7-header.ts'
import { contentFaults } from '../../src/modules/interfaces/hl7-structure.ts'
import { parseMessage } from '../../src/platform/hl7/message.ts'
import { openPartnerMessages } from './partner-messages.ts'

const practice = {
  app: 'EHR',
  facility: 'FAC',
  npi: '1730556218',
  physician: 'Okonjo^Ada',
  tests: ['LIPID', 'CHOL', 'HDL'],
}
const open = () => openPartnerMessages(practice, { run: 'R1', now: () => new Date('2026-11-18T08:37:12Z') })
const some = (count: number) => {
  const messages = open()
  return Array.from({ length: count }, () => messages.next())
}
const faultsOf = (text: string) => {
  const message = parseMessage(Buffer.from(text))
  return message ? contentFaults(message, readHeader(message)) : ['no message']
}

describe('the messages of a simulated practice', () => {
  it('are the same with the same seed, and each has its own control id', () => {
    const messages = some(200)
    expect(some(200)).toEqual(messages)
    expect(new Set(messages.map(({ controlId }) => controlId)).size).toBe(200)
    expect(new Set(messages.map(({ kind }) => kind)).size).toBe(5)
  })

  it('are well formed unless they are made to be faulty', () => {
    for (const { kind, text } of some(300)) if (kind !== 'faulty') expect(faultsOf(text), text).toEqual([])
  })

  it('change and cancel only what was ordered before', () => {
    const messages = open()
    const [placer] = /SO-R1-\d+/.exec(messages.next('order').text) ?? []
    expect(messages.next('change').text).toContain(`ORC|XO|${placer}`)
    expect(messages.next('cancellation').text).toContain(`ORC|CA|${placer}`)
    expect(messages.next('cancellation').text).toContain('ORC|NW|')
  })
})
