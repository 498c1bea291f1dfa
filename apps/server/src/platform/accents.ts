/** Letters that are no accented form of another one, and how they are written without them. */
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

/** Capitals without accents: 'Sørensen' is SORENSEN, 'Łukasz' LUKASZ. Letters of other alphabets stay what they are. */
export const upperCaseWithoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[ØÆŒŁĐÞÐẞĦŦ]/g, (letter) => letters[letter] ?? letter)
