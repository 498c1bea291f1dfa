/** Replaces colour variables by the colours of the page: a separate image has no style sheet. */
const withColours = (text: string, style: CSSStyleDeclaration): string =>
  text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim() || 'currentColor')

const scale = 2
const titleHeight = 28
const levelTitle = 18

interface Part {
  title: string
  svg: SVGSVGElement
}

/** The charts of a figure, one below the other, as a PNG. */
export const pictureOf = async (figure: HTMLElement, title: string): Promise<Blob> => {
  const style = getComputedStyle(document.documentElement)
  const parts: Part[] = [...figure.querySelectorAll<HTMLElement>('.level')].flatMap((level) => {
    const svg = level.querySelector<SVGSVGElement>('svg.recharts-surface')
    return svg ? { svg, title: level.querySelector('header')?.textContent ?? '' } : []
  })
  const width = Math.max(...parts.map(({ svg }) => svg.clientWidth))
  const height = titleHeight + parts.reduce((sum, { svg }) => sum + levelTitle + svg.clientHeight, 0)
  const canvas = document.createElement('canvas')
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw pictures')
  context.scale(scale, scale)
  context.fillStyle = style.getPropertyValue('--surface').trim()
  context.fillRect(0, 0, width, height)
  const font = style.getPropertyValue('--font').trim()
  const write = (text: string, y: number, size: number) => {
    context.fillStyle = style.getPropertyValue('--text').trim()
    context.font = `600 ${size}px ${font}`
    context.fillText(text, 8, y)
  }
  write(title, 19, 14)
  let y = titleHeight
  for (const { svg, title: text } of parts) {
    write(text, y + 13, 11)
    context.drawImage(await imageOf(svg, style, font), 0, y + levelTitle, svg.clientWidth, svg.clientHeight)
    y += levelTitle + svg.clientHeight
  }
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('The picture could not be made'))), 'image/png')
  })
}

const imageOf = async (svg: SVGSVGElement, style: CSSStyleDeclaration, font: string): Promise<HTMLImageElement> => {
  const copy = svg.cloneNode(true) as SVGSVGElement
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('font-family', font)
  const text = withColours(new XMLSerializer().serializeToString(copy), style)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  return image
}

/** Offers a file to the reader. */
export const saveAs = (blob: Blob, name: string) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
