import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib'

const full = { finishFlush: constants.Z_FULL_FLUSH }

/** A packed stream of `megabytes` of spaces around what it says: some thousandths of its size. */
const packed = (before: string, megabytes: number, after: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    deflateRawSync(Buffer.from(before), full),
    ...Array<Buffer>(megabytes).fill(deflateRawSync(Buffer.alloc(2 ** 20, ' '), full)),
    deflateRawSync(Buffer.from(after)),
  ])

/** A PDF of whole objects; `stream` follows the dictionary of the same place. */
const pdfOf = (objects: { dictionary: string; stream?: Buffer }[]): Buffer => {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  let size = parts[0]?.length ?? 0
  const places: number[] = []
  const add = (part: Buffer) => {
    parts.push(part)
    size += part.length
  }
  for (const [index, { dictionary, stream }] of objects.entries()) {
    places.push(size)
    add(Buffer.from(`${index + 1} 0 obj\n${dictionary}`))
    if (stream) {
      add(Buffer.from('\nstream\n'))
      add(stream)
      add(Buffer.from('\nendstream'))
    }
    add(Buffer.from('\nendobj\n'))
  }
  const start = size
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  add(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`,
    ),
  )
  return Buffer.concat(parts)
}

const streamOf = (dictionary: string, stream: Buffer) => ({
  dictionary: `<<${dictionary}/Length ${stream.length}/Filter/FlateDecode>>`,
  stream,
})
const onePage = (page: string) => [
  { dictionary: '<</Type/Catalog/Pages 2 0 R>>' },
  { dictionary: '<</Type/Pages/Kids[3 0 R]/Count 1>>' },
  { dictionary: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]${page}>>` },
]

/** Small PDFs that expand when a reader opens them. */
export const pdfBombs = {
  /** The content of a page: unpacked when its text is read. */
  'a page': (megabytes: number) => pdfOf([...onePage('/Contents 4 0 R'), streamOf('', packed('', megabytes, 'n'))]),
  /** Objects in a compressed stream: unpacked when the file is opened. */
  'an object stream': (megabytes: number) =>
    pdfOf([...onePage(''), streamOf('/Type/ObjStm/N 1/First 8', packed('9 0     ', megabytes, 'null'))]),
  /** A picture of 40,000 by 40,000 points. */
  'a picture': (megabytes: number) =>
    pdfOf([
      ...onePage('/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>'),
      streamOf('', packed('/I Do', 0, ' ')),
      streamOf(
        '/Type/XObject/Subtype/Image/Width 40000/Height 40000/BitsPerComponent 8/ColorSpace/DeviceRGB',
        packed('', megabytes, ' '),
      ),
    ]),
}

/** A PNG of some kilobytes that is a picture of `side` by `side` points. */
export const pngBomb = (side: number): Buffer => {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(Math.ceil(side / 8 + 1) * side))
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([mark, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

const childrenOf = (): string[] => {
  try {
    return readdirSync('/proc/self/task').flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
    )
  } catch {
    return [] // no Linux, or a thread that has just ended
  }
}
const residentOf = (pid: string): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0 // it has ended
  }
}

export interface Cost {
  /** The longest time for which no other call was answered. */
  blockedMs: number
  /** By how much this process has grown. */
  grownBytes: number
  /** The largest process beside this one; 0 where that cannot be seen. */
  besideBytes: number
}

/** What a task costs all other callers. */
export const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
  const before = process.memoryUsage.rss()
  let [most, besideBytes] = [before, 0]
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
    besideBytes = Math.max(besideBytes, ...childrenOf().map(residentOf))
  }, 20)
  delay.enable()
  try {
    await work()
  } finally {
    delay.disable()
    clearInterval(look)
  }
  return { blockedMs: delay.max / 1e6, grownBytes: most - before, besideBytes }
}
