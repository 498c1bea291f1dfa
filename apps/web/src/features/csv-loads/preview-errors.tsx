import { type CsvPreview, describeLoadError } from '@lis/contract/csv-loads.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Banner } from '../../ui/form/banner.tsx'

const Errors = styled('ul')({
  maxHeight: 200,
  overflow: 'auto',
  margin: '8px 0',
  padding: '4px 8px',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  color: 'var(--error)',
  '& li': { padding: '2px 0' },
})
const Actions = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 })

interface PreviewErrorsProps {
  preview: CsvPreview
  onLoad: () => void
  onCancel: () => void
}

/** All errors of the file, before anything is written; the good rows can be loaded anyway. */
export const PreviewErrors = ({ preview, onLoad, onCancel }: PreviewErrorsProps) => {
  const { totalCount, goodCount, skippedCount, errorCount, errors, errorTotal } = preview
  const counts = [
    `${goodCount} of ${totalCount} rows can be loaded`,
    `${errorCount} ${errorCount === 1 ? 'has' : 'have'} errors`,
    skippedCount > 0 && `${skippedCount} ${skippedCount === 1 ? 'was' : 'were'} loaded before`,
  ]
  return (
    <div style={{ marginTop: 12 }}>
      <Banner type="error">{totalCount === 0 ? 'The file cannot be loaded' : counts.filter(Boolean).join(', ')}</Banner>
      {/* A scrollable element must be focusable. */}
      <Errors tabIndex={0} aria-label="Errors of the file">
        {errors.map(({ rowNo, columnName, message }) => (
          <li key={`${rowNo} ${columnName} ${message}`}>{describeLoadError(rowNo, columnName, message)}</li>
        ))}
        {errorTotal > errors.length && <li>and {errorTotal - errors.length} more</li>}
      </Errors>
      <Actions>
        {goodCount > 0 && (
          <Button variant="contained" onClick={onLoad}>
            Load the {goodCount} good {goodCount === 1 ? 'row' : 'rows'}
          </Button>
        )}
        <Button onClick={onCancel}>Choose another file</Button>
      </Actions>
    </div>
  )
}
