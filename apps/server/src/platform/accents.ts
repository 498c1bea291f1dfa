/** Letters that are not an accented form of a basic letter, with their usual transcription. */
const letters: Record<string, string> = {
  Ø: 'O',
  Æ: 'AE',
  Œ: 'OE',
  Ł: 'L',
  Đ: 'D',
  Þ: 'TH',
  Ð: 'D',
  ẞ: 'SS',
  Ħ: 'H',
  Ŧ: 'T',
}

/** Upper case without accents: 'Sørensen' becomes SORENSEN, 'Łukasz' LUKASZ. Letters of other alphabets stay unchanged. */
export const upperCaseWithoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[ØÆŒŁĐÞÐẞĦŦ]/g, (letter) => letters[letter] ?? letter)
