import { describe, expect, it } from 'vitest'
import { findUnprintable, toPrintable } from './fonts.ts'

describe('characters in a PDF', () => {
  it.each([
    'Größ, Zoë',
    'Иванова, Мария',
    'Παπαδοπούλου, Ελένη',
    'Nguyễn, Thị Ánh',
    'Żółć, Łucja',
    'Şahin, Işıl',
    'Հակոբյան, Անի',
    'ბერიძე, ნინო',
    'Smith 😀',
    '王, 小明',
    '山田, さくら',
    '김, 민수',
    'محمد',
    'שרה, Ann',
    'अमित',
    'สมชาย',
    '5 μIU/mL → 7 µIU/mL',
  ])('prints %s as it is', (text) => {
    expect([toPrintable(text), findUnprintable(text)]).toEqual([text, []])
  })

  it('normalizes Unicode, and removes invisible characters', () => {
    expect(toPrintable('Zoe\u0308\u200b\tSmith\u00a0\r\nx')).toBe('Zoë Smith\u00a0\nx')
    expect(toPrintable('≤ 5, ≥ 7')).toBe('≤ 5, ≥ 7')
  })

  it.each([
    ['ᏣᎳᎩ, Ann', ['Ꮳ', 'Ꮃ', 'Ꭹ']],
    ['Ann\u202eeoD', ['\u202e']],
    ['👩🏽', ['👩', '🏽']],
  ])('knows that it cannot print %s, and never puts another letter there', (text, letters) => {
    expect(findUnprintable(text)).toEqual(letters)
    expect(toPrintable(text)).not.toContain('?')
    for (const letter of letters) expect(toPrintable(text)).not.toContain(letter)
    expect(toPrintable(text)).toContain('□')
  })
})
