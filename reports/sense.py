"""What one step of a number in the config does to each goal: `sense.json` beside the report, where somebody asked."""

from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

FILE = "sense.json"


class Effect(BaseModel):
    """The change of a goal's measure, with its own and its joint range."""

    goal: str
    estimate: float
    low: float
    high: float
    joint_low: float
    joint_high: float


class Step(BaseModel):
    """One number of the config, made larger or smaller."""

    path: list[str | int] = Field(description="Keys from the top of the config, then places in lists.")
    label: str
    step: float
    effects: list[Effect]


class Asked(BaseModel):
    """A goal at one player count; `id` as in `report.json`: its name, a hyphen, the number of players."""

    id: str
    label: str

    @property
    def name(self) -> str:
        """Its name in the config."""
        return self.id.rpartition("-")[0] or self.id

    @property
    def players(self) -> int | None:
        """Its player count, if the id tells."""
        count = self.id.rpartition("-")[2]
        return int(count) if count.isdecimal() else None


class Sense(BaseModel):
    """All goals asked about, and all steps."""

    goals: list[Asked]
    steps: list[Step]


def load(folder: Path) -> Sense | None:
    """Read what is known of a run; None where nobody asked, or where the file is damaged: the report goes on."""
    try:
        return Sense.model_validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return None
