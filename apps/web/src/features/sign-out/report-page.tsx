import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { LoadingState } from '../../ui/states.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'

// The page is white in the dark theme too, like the file.
const Pages = styled('div')({
  flex: 'none',
  '& canvas': {
    display: 'block',
    width: '100%',
    maxWidth: 900,
    margin: '0 auto 12px',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-md)',
    background: 'white',
    boxShadow: 'var(--shadow-1)',
  },
})

/** A resolution that stays sharp when the page is enlarged. */
const scale = 2

/** Drawn here, because a file of an external store may not be shown in a frame, and phones show no PDF in one. */
const drawPages = async (bytes: ArrayBuffer): Promise<HTMLCanvasElement[]> => {
  const { getDocumentProxy } = await import('unpdf')
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  const pages: HTMLCanvasElement[] = []
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    const viewport = page.getViewport({ scale })
    const canvas = document.createElement('canvas')
    canvas.width = viewport.width
    canvas.height = viewport.height
    await page.render({ canvas, viewport }).promise
    pages.push(canvas)
  }
  return pages
}

/** The file of a report, page by page. */
export const ReportPage = ({ url, label }: { url: string; label: string }) => {
  const file = useQuery({
    queryKey: ['report page', url],
    queryFn: async ({ signal }) => {
      const response = await fetch(url, { signal })
      if (!response.ok) throw new Error(`The page could not be read (${response.status})`)
      const bytes = await response.arrayBuffer()
      const blob = new Blob([bytes], { type: 'application/pdf' })
      return { blob, pages: await drawPages(bytes) }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { data } = file
  const place = useRef<HTMLDivElement>(null)
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!data) return
    const made = URL.createObjectURL(data.blob)
    setAddress(made)
    place.current?.replaceChildren(...data.pages)
    return () => URL.revokeObjectURL(made)
  }, [data])
  if (file.error) return <LoadFailed error={file.error} onRetry={() => file.refetch()} />
  if (!data) return <LoadingState label="Page loading" />
  return (
    <>
      <Pages ref={place} role="img" aria-label={label} />
      <Button href={address ?? ''} target="_blank" rel="noopener" sx={{ alignSelf: 'start', mt: 1 }}>
        Open the page in a new tab
      </Button>
    </>
  )
}
