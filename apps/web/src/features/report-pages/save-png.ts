import { events } from '../../lib/events.ts'

const scale = 2
const painted = ['fill', 'stroke', 'font-size', 'font-weight', 'font-family', 'text-anchor'] as const

/** An image outside the page has no CSS variables: each element gets its computed colours. */
const withOwnStyles = (svg: SVGSVGElement): SVGSVGElement => {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [from, to] = [[...svg.querySelectorAll('*')], [...copy.querySelectorAll('*')]]
  from.forEach((element, index) => {
    const style = getComputedStyle(element)
    for (const name of painted) to[index]?.setAttribute(name, style.getPropertyValue(name))
    to[index]?.removeAttribute('style')
  })
  return copy
}

/** Saves a chart as an image. */
export const savePng = (svg: SVGSVGElement, name: string) => {
  const { width, height } = svg.getBoundingClientRect()
  const copy = withOwnStyles(svg)
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const image = new Image()
  image.onload = () => {
    const canvas = document.createElement('canvas')
    canvas.width = width * scale
    canvas.height = height * scale
    const context = canvas.getContext('2d')
    if (!context) return
    context.fillStyle = getComputedStyle(document.body).backgroundColor
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.scale(scale, scale)
    context.drawImage(image, 0, 0)
    const link = document.createElement('a')
    link.href = canvas.toDataURL('image/png')
    link.download = `${name}.png`
    link.click()
  }
  image.onerror = () => events.emit('notice', { type: 'warning', message: 'The picture could not be made' })
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
}
