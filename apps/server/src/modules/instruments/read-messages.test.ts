import { describe, expect, it } from 'vitest'
import { readAstm } from './read-astm.ts'
import { readHl7 } from './read-hl7.ts'
import type { ReadMessage } from './read-message.ts'

const options = { toInstant: () => null }
const flagsOf = ({ results }: ReadMessage) => results.map(({ code, flags }) => [code, flags])

describe('BENCH-06 comments of the instrument, type I', () => {
  it('on an order of ASTM concern every result of it, those on a result only that one', () => {
    const records = [
      'H|\\^&',
      'P|1',
      'O|1|1000001||^^^chol\\^^^hdl',
      'C|1|I|Clot|I',
      'C|2|L|Seen by the operator|G',
      'R|1|^^^chol|180',
      'C|1|I|Hemolysis|I',
      'R|2|^^^hdl|50',
      'O|2|1000002||^^^chol',
      'R|1|^^^chol|181',
      'L|1|N',
    ]
    expect(flagsOf(readAstm(records.join('\r'), options))).toEqual([
      ['chol', ['Clot', 'Hemolysis']],
      ['hdl', ['Clot']],
      ['chol', []],
    ])
  })
  it('on a patient of ASTM concern every order of that patient', () => {
    const records = [
      'H|\\^&',
      'P|1',
      'C|1|I|Short sample|I',
      'O|1|1||^^^chol',
      'R|1|^^^chol|180',
      'P|2',
      'O|1|2||^^^chol',
    ]
    const text = [...records, 'R|1|^^^chol|181', 'L|1|N'].join('\r')
    expect(flagsOf(readAstm(text, options))).toEqual([
      ['chol', ['Short sample']],
      ['chol', []],
    ])
  })

  const hl7 = (type: string, segments: string[]) =>
    readHl7([`MSH|^~\\&|SIM|LAB|LIS|LAB|20261118120000||${type}|1|P|2.5.1`, ...segments].join('\r'), options)
  it('after OBR concern the results of that order, and not the order before', () => {
    const read = hl7('ORU^R01', [
      'OBR|1||1000001|X',
      'OBX|1|NM|chol||180',
      'OBR|2||1000002|X',
      'NTE|1||Clot|I',
      'OBX|1|NM|chol||181',
      'NTE|1||Hemolysis|I',
      'OBX|2|NM|hdl||50',
    ])
    expect(flagsOf(read)).toEqual([
      ['chol', []],
      ['chol', ['Clot', 'Hemolysis']],
      ['hdl', ['Clot']],
    ])
  })
  it('after SPM concern every order of that specimen', () => {
    const read = hl7('OUL^R22', [
      'SPM|1|1000001',
      'NTE|1||Short sample|I',
      'OBR|1||7|X',
      'OBX|1|NM|chol||180',
      'OBR|2||8|X',
      'OBX|1|NM|hdl||50',
      'SPM|2|1000002',
      'OBR|1||9|X',
      'OBX|1|NM|chol||181',
    ])
    expect(flagsOf(read)).toEqual([
      ['chol', ['Short sample']],
      ['hdl', ['Short sample']],
      ['chol', []],
    ])
  })
})
