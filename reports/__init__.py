"""From a run's sums to one page: numbers, tables, charts and the HTML report."""
