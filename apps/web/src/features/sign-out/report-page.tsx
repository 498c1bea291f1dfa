import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { LoadingState } from '../../ui/states.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'

const Frame = styled('iframe')({
  flex: '1 1 auto',
  width: '100%',
  minHeight: 400,
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
})

/** The file of a report in the page. It is fetched first, because a file of an external store may not be shown in a frame. */
export const ReportPage = ({ url, label }: { url: string; label: string }) => {
  const file = useQuery({
    queryKey: ['report page', url],
    queryFn: async ({ signal }) => {
      const response = await fetch(url, { signal })
      if (!response.ok) throw new Error(`The page could not be read (${response.status})`)
      return response.blob()
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const [shown, setShown] = useState<string>()
  useEffect(() => {
    if (!file.data) return
    const address = URL.createObjectURL(new Blob([file.data], { type: 'application/pdf' }))
    setShown(address)
    return () => URL.revokeObjectURL(address)
  }, [file.data])
  if (file.error) return <LoadFailed error={file.error} onRetry={() => file.refetch()} />
  if (!shown) return <LoadingState label="Page loading" />
  return (
    <>
      <Frame title={label} src={`${shown}#toolbar=0&navpanes=0&view=FitH`} />
      <Button href={shown} target="_blank" rel="noopener" sx={{ alignSelf: 'start', mt: 1 }}>
        Open the page in a new tab
      </Button>
    </>
  )
}
