import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { createWorker, PSM } from 'tesseract.js'

/** A word as recognized; boxes are in pixels of the straightened page. */
export interface Word {
  text: string
  /** 0 to 1. */
  confidence: number
  left: number
  top: number
  right: number
  bottom: number
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

export interface ReadPage {
  words: Word[]
  /** The straightened page as PNG. */
  picture: Buffer
}

/** Reads letters in pictures, with trained data from a package and without a network. Runs in a limited process only. */
export const openTextReader = async () => {
  const data = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'))
  const worker = await createWorker('eng', 1, {
    langPath: join(data, '4.0.0_best_int'),
    cacheMethod: 'none',
    gzip: true,
  })
  return {
    /** All words of a page, which may be turned by a few degrees. */
    readPage: async (page: Buffer, turnedBy: 0 | 180): Promise<ReadPage> => {
      const soft = await sharp(page)
        .rotate(turnedBy)
        .median(3)
        .withMetadata({ density: 240 })
        .png({ compressionLevel: 1 })
        .toBuffer()
      const output = { blocks: true, text: false, imageColor: true }
      const found = await worker.recognize(soft, { rotateAuto: true }, output)
      const lines = found.data.blocks?.flatMap(({ paragraphs }) => paragraphs.flatMap((one) => one.lines)) ?? []
      const words = lines.flatMap((line) => line.words)
      const encoded = found.data.imageColor ?? ''
      return {
        words: words.map(({ text, confidence, bbox }) => ({
          text,
          confidence: confidence / 100,
          left: bbox.x0,
          top: bbox.y0,
          right: bbox.x1,
          bottom: bbox.y1,
        })),
        picture: Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64'),
      }
    },
    /** One line once more, at another size: a letter that is read in two ways is in doubt. */
    readLine: async (picture: Buffer): Promise<{ text: string; confidence: number }> => {
      const { width = 0, height = 0 } = await sharp(picture).metadata()
      const smaller = await sharp(picture)
        .resize({ width: Math.round(width * 0.72), height: Math.round(height * 0.72), fit: 'fill' })
        .extend({ top: 12, bottom: 12, left: 12, right: 12, background: '#fff' })
        .png()
        .toBuffer()
      const { data } = await worker.recognize(smaller, { tessedit_pageseg_mode: PSM.SINGLE_LINE } as object, {
        text: true,
        blocks: false,
      })
      return { text: data.text.trim(), confidence: data.confidence / 100 }
    },
    close: () => worker.terminate(),
  }
}

export type TextReader = Awaited<ReturnType<typeof openTextReader>>

/** A piece of a page as PNG, with a margin. */
export const cutOut = async (picture: Buffer, box: Box, margin: number): Promise<Buffer> => {
  const { width = 0, height = 0 } = await sharp(picture).metadata()
  const left = Math.max(0, Math.floor(box.left - margin))
  const top = Math.max(0, Math.floor(box.top - margin))
  return sharp(picture)
    .extract({
      left,
      top,
      width: Math.min(width, Math.ceil(box.right + margin)) - left,
      height: Math.min(height, Math.ceil(box.bottom + margin)) - top,
    })
    .png()
    .toBuffer()
}
