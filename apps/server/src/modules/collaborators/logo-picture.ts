// Loaded by limited processes only, see `report-logos.ts`.
import sharp from 'sharp'

/** Four times the size on the page, on white: a JPEG goes into a report without work. */
export const toReportPicture = (bytes: Uint8Array): Promise<Buffer> =>
  sharp(bytes)
    .flatten({ background: '#ffffff' })
    .resize({ width: 400, height: 160, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 90 })
    .toBuffer()
