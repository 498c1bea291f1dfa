/** As fontkit gives the outline of a glyph; TrueType has no cubic curves. */
export interface PathCommand {
  command: string
  args: number[]
}

interface Point {
  x: number
  y: number
  isOnCurve: boolean
}

/** A glyph as a TrueType font has it (table `glyf`), all points in two bytes. fontkit's own way to write one fails with its stream library. */
export const encodeOutline = (
  commands: readonly PathCommand[],
  scale: number,
): { outline: Uint8Array; bearing: number } => {
  const contours = contoursOf(commands, scale)
  const points = contours.flat()
  if (points.length === 0) return { outline: new Uint8Array(0), bearing: 0 }
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [minX, minY, maxX, maxY] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
  const length = 10 + contours.length * 2 + 2 + points.length * 5
  const bytes = new DataView(new ArrayBuffer(Math.ceil(length / 4) * 4))
  let at = 0
  const write16 = (value: number) => {
    bytes.setInt16(at, value)
    at += 2
  }
  for (const value of [contours.length, minX, minY, maxX, maxY]) write16(value)
  let end = -1
  for (const contour of contours) {
    end += contour.length
    write16(end)
  }
  write16(0) // no instructions
  for (const { isOnCurve } of points) bytes.setUint8(at++, isOnCurve ? 1 : 0)
  for (const axis of [xs, ys]) for (const [index, value] of axis.entries()) write16(value - (axis[index - 1] ?? 0))
  return { outline: new Uint8Array(bytes.buffer), bearing: minX }
}

const contoursOf = (commands: readonly PathCommand[], scale: number): Point[][] => {
  const contours: Point[][] = []
  for (const { command, args } of commands) {
    if (command === 'moveTo') contours.push([])
    const contour = contours.at(-1)
    for (let at = 0; at < args.length; at += 2)
      contour?.push({
        x: Math.round((args[at] as number) * scale),
        y: Math.round((args[at + 1] as number) * scale),
        isOnCurve: command !== 'quadraticCurveTo' || at === 2,
      })
  }
  return contours.filter((contour) => contour.length > 1)
}
